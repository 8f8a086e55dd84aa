// Package container shows jail inside a container without privileges, which the
// tests build themselves: no engine, no daemon, no image. It holds tests only.
//
// The container has what engines give by default: namespaces of its own but no user
// namespace, Docker's default filter by its list of calls, proc
// partly covered and read-only, control groups read-only, and root's capabilities
// without CAP_SYS_ADMIN. Its file tree is the host's. A pod of Kubernetes is the same
// without the filter. TestContainer, TestEngineFilter and TestPod show that they
// are all that.
package container
