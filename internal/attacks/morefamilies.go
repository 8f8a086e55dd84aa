package attacks

import "golang.org/x/sys/unix"

// attackedFamilies are socket families with a record of their own.
func attackedFamilies() []Row {
	return []Row{
		oddFamily("netlink: generic", "netlink(7): drivers and subsystems behind one door", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC),
		oddFamily("netlink: packet filters", "CVE-2022-1015, CVE-2023-32233, CVE-2024-1086: nf_tables", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER),
		oddFamily("netlink: sockets of others", "CVE-2013-1763; sock_diag(7) lists the host's connections", unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_SOCK_DIAG),
		oddFamily("netlink: IPsec", "CVE-2017-7184, CVE-2017-16939: XFRM", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_XFRM),
		oddFamily("netlink: audit", "netlink(7): audit, whose reader trusts what comes", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT),
		oddFamily("netlink: the kernel's connector", "CVE-2010-0410: connector; cn_proc: who runs what on the host", unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_CONNECTOR),
		oddFamily("Bluetooth", "CVE-2020-12351, CVE-2017-1000251 (BlueBorne)", unix.AF_BLUETOOTH, unix.SOCK_SEQPACKET, 0),
		oddFamily("field buses", "CVE-2010-2959, CVE-2021-34693: CAN", unix.AF_CAN, unix.SOCK_RAW, 1),
		oddFamily("TIPC", "CVE-2021-43267, CVE-2022-0435", unix.AF_TIPC, unix.SOCK_RDM, 0),
		oddFamily("RDS", "CVE-2010-3904, CVE-2018-7492", unix.AF_RDS, unix.SOCK_SEQPACKET, 0),
		oddFamily("SCTP", "CVE-2019-8956, CVE-2021-23133", unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP),
		oddFamily("UDP-Lite", "udplite(7): a protocol that nobody tests; a filter of UDP misses it", unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE),
		withCaps(oddFamily("packets past the stack", "CVE-2020-12659: af_xdp.rst: rings shared with drivers", unix.AF_XDP, unix.SOCK_RAW, 0)),
		withCaps(oddFamily("IPsec keys", "RFC 2367, PF_KEY: a second door to IPsec (CVE-2022-27666)", unix.AF_KEY, unix.SOCK_RAW, 2)),
	}
}
