package policy

import (
	"math/bits"
	"slices"
	"strings"
)

// Refusals are arguments with which a call is refused that is carried out with others: some
// for each row and Else of its Check that refuses, and no two that no test tells apart.
// Those that known tells of are left out. What is nowhere tested is 0.
func Refusals(call string, known [][6]uint64) (list [][6]uint64) {
	for _, c := range Checked() {
		if !slices.Contains(strings.Fields(c.Calls), call) {
			continue
		}
		for row := range c.Rows {
			if c.Rows[row].Then != Allow {
				list = append(list, c.with(row)...)
			}
		}
		if c.Else != Allow {
			list = append(list, c.otherwise()...)
		}
		list = slices.DeleteFunc(list, func(args [6]uint64) bool {
			return slices.ContainsFunc(known, func(k [6]uint64) bool { return c.alike(k, args) })
		})
	}
	return list
}

// decidedBy is which row decides, or the number of rows for Else.
func (c Check) decidedBy(args [6]uint64) int {
	i := slices.IndexFunc(c.Rows, func(r Row) bool {
		return !slices.ContainsFunc(r.When, func(t Test) bool { return !slices.Contains(t.In, args[t.Arg]&t.Mask) })
	})
	if i < 0 {
		return len(c.Rows)
	}
	return i
}

// with are the arguments that a row's tests name, where the row decides of them, others
// being 0 or, where rows before it take that, not.
func (c Check) with(row int) (list [][6]uint64) {
	for _, rest := range []uint64{0, other} {
		all := [][6]uint64{{rest, rest, rest, rest, rest, rest}}
		for _, t := range c.Rows[row].When {
			var next [][6]uint64
			for _, a := range all {
				for _, v := range t.In {
					a[t.Arg] = v
					next = append(next, a)
				}
			}
			all = next
		}
		list = slices.DeleteFunc(all, func(a [6]uint64) bool { return c.decidedBy(a) != row })
		if len(list) > 0 {
			break
		}
	}
	return list
}

// other is a number that no row names.
const other = 99

// mostBits is how many bits a mask has that are flags, each with a meaning of its own.
const mostBits = 8

// otherwise are arguments that no row decides: by each flag that is tested, or, where a
// number is, one that no row names.
func (c Check) otherwise() (list [][6]uint64) {
	var tried [6][]uint64
	flags := true
	for _, r := range c.Rows {
		for _, t := range r.When {
			if bits.OnesCount64(t.Mask) > mostBits {
				flags = false
				tried[t.Arg] = append(tried[t.Arg], 1, 2, 3, 4, 5, 12, 16, other)
				continue
			}
			for m := t.Mask; m != 0; m &= m - 1 {
				tried[t.Arg] = append(tried[t.Arg], m&-m)
			}
		}
	}
	all := [][6]uint64{{}}
	for arg, values := range tried {
		slices.Sort(values)
		for _, a := range all {
			for _, v := range slices.Compact(values) {
				a[arg] = v
				all = append(all, a)
			}
		}
	}
	for _, a := range all {
		if c.decidedBy(a) == len(c.Rows) {
			if list = append(list, a); !flags || len(list) == mostBits {
				break
			}
		}
	}
	return list
}

// alike says whether no test tells some arguments from others.
func (c Check) alike(a, b [6]uint64) bool {
	if len(c.Rows) == 0 {
		return true
	}
	return !slices.ContainsFunc(c.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.When, func(t Test) bool { return a[t.Arg]&t.Mask != b[t.Arg]&t.Mask })
	})
}
