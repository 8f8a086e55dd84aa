package policy

import "math/bits"

// A Clause is one case of a Check, in the only form that a compiler without
// "else" can take: conditions that must all hold, and the answer. The clauses
// of a Check never overlap, so that no order among them can change an answer.
type Clause struct {
	Args    [6]Bits
	Verdict Verdict
}

// Bits is a condition on one argument: cut to Mask it is Value, or, if Not is
// set, it is anything but Value (then Mask is Whole). The zero Bits holds
// always.
type Bits struct {
	Mask, Value uint64
	Not         bool
}

// Clauses is c's rows and its Else as clauses. Those that answer Absent are
// left out: that is what no clause at all means.
func (c Check) Clauses() []Clause {
	var clauses []Clause
	decide(c.Rows, c.Else, Clause{}, &clauses)
	return clauses
}

// decide appends the clauses for rows among the calls that path describes.
func decide(rows []Row, otherwise Verdict, path Clause, clauses *[]Clause) {
	if len(rows) == 0 {
		if otherwise != Absent {
			path.Verdict = otherwise
			*clauses = append(*clauses, path)
		}
		return
	}
	row := rows[0]
	hits := []Clause{path}
	for _, test := range row.When {
		var next []Clause
		for _, hit := range hits {
			next = append(next, narrow(hit, test.Arg, values(test))...)
			for _, miss := range narrow(hit, test.Arg, complement(test)) {
				decide(rows[1:], otherwise, miss, clauses)
			}
		}
		hits = next
	}
	for _, hit := range hits {
		decide(nil, row.Then, hit, clauses)
	}
}

// narrow is path with argument arg cut down to each of the conditions, without
// those that contradict what path says of arg already.
func narrow(path Clause, arg uint, conditions []Bits) []Clause {
	var clauses []Clause
	for _, cond := range conditions {
		old := path.Args[arg]
		both := old.Mask & cond.Mask
		switch {
		case old.Mask == 0:
			path.Args[arg] = cond
		case old.Not || cond.Not:
			if old.Mask != cond.Mask || old.Value != cond.Value {
				panic("policy: an argument that is compared whole can be tested for one value only")
			}
			if old.Not != cond.Not {
				continue
			}
		case old.Value&both != cond.Value&both:
			continue
		default:
			path.Args[arg] = Bits{Mask: old.Mask | cond.Mask, Value: old.Value | cond.Value}
		}
		clauses = append(clauses, path)
		path.Args[arg] = old
	}
	return clauses
}

func values(t Test) []Bits {
	conditions := make([]Bits, len(t.In))
	for i, v := range t.In {
		conditions[i] = Bits{Mask: t.Mask, Value: v}
	}
	return conditions
}

// complement is every value that t does not match, as conditions that do not
// overlap: it goes down t's bits from the highest, and wherever a half of what
// is left holds no value of t, that half is a condition.
func complement(t Test) []Bits {
	if t.Mask == Whole {
		if len(t.In) != 1 {
			panic("policy: an argument that is compared whole has one value")
		}
		return []Bits{{Mask: Whole, Value: t.In[0], Not: true}}
	}
	return halve(t.Mask, t.In, Bits{})
}

func halve(mask uint64, in []uint64, at Bits) []Bits {
	if len(in) == 0 {
		return []Bits{at}
	}
	if mask == 0 {
		return nil
	}
	bit := uint64(1) << (bits.Len64(mask) - 1)
	var zeros, ones []uint64
	for _, v := range in {
		if v&bit == 0 {
			zeros = append(zeros, v)
		} else {
			ones = append(ones, v)
		}
	}
	rest := mask &^ bit
	return append(
		halve(rest, zeros, Bits{Mask: at.Mask | bit, Value: at.Value}),
		halve(rest, ones, Bits{Mask: at.Mask | bit, Value: at.Value | bit})...)
}
