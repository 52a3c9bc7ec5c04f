package main

import "path/filepath"

// files of one cluster, all in one folder. Tests read kubeconfig and audit.log.
type files struct{ folder string }

func (f files) in(name string) string { return filepath.Join(f.folder, name) }

func (f files) kubeconfig(u user) string {
	if u == admin {
		return f.in("kubeconfig")
	}
	return f.in(u.name + ".kubeconfig")
}
func (f files) auditLog() string          { return f.in("audit.log") }
func (f files) auditPolicy() string       { return f.in("audit-policy.yaml") }
func (f files) serviceAccountKey() string { return f.in("service-account.key") }
func (f files) certificate() string       { return f.in("server.crt") }
func (f files) key() string               { return f.in("server.key") }
func (f files) tokens() string            { return f.in("tokens.csv") }
func (f files) etcd() string              { return f.in("etcd") }
func (f files) podLogs() string           { return f.in("pod-logs") }
