package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// One line a request, with user, verb and resource: what a role must grant is what its user did.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

// runServer runs etcd and kube-apiserver in this process; ready is called once the server answers.
func runServer(ctx context.Context, f files, ready func(url string)) error {
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(f.auditPolicy(), []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	etcd, stopEtcd, err := startEtcd(f.etcd())
	if err != nil {
		return err
	}
	defer stopEtcd()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	url := "https://" + listener.Addr().String()
	if err := writeCredentials(f, url); err != nil {
		return err
	}
	server, err := completeOptions(ctx, listener, serverFlags(f, etcd))
	if err != nil {
		return err
	}
	go func() {
		if waitReady(ctx, url) {
			ready(url)
		}
	}()
	return app.Run(ctx, server)
}

func serverFlags(f files, etcd string) []string {
	return []string{
		"--etcd-servers=" + etcd,
		// Left alone, kube-apiserver would make two RSA keys, which takes up to a second.
		"--tls-cert-file=" + f.certificate(), "--tls-private-key-file=" + f.key(),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // a loopback address is refused in Endpoints
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC",
		"--allow-privileged=true", // as clusters have it: Pod Security says who may
		"--token-auth-file=" + f.tokens(),
		"--anonymous-auth=true", // for /readyz
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + f.serviceAccountKey(),
		"--service-account-signing-key-file=" + f.serviceAccountKey(),
		"--audit-policy-file=" + f.auditPolicy(), "--audit-log-path=" + f.auditLog(),
		"--audit-log-maxsize=0", // one file, however long
	}
}

func completeOptions(ctx context.Context, listener net.Listener, flags []string) (options.CompletedOptions, error) {
	none := options.CompletedOptions{}
	server := options.NewServerRunOptions()
	set := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, flags := range server.Flags().FlagSets {
		set.AddFlagSet(flags)
	}
	if err := set.Parse(flags); err != nil {
		return none, err
	}
	server.SecureServing.Listener = listener
	server.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	if err := server.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return none, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	if err := logsapi.ValidateAndApply(server.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return none, err
	}
	completed, err := server.Complete(ctx)
	if err != nil {
		return none, err
	}
	return completed, utilerrors.NewAggregate(completed.Validate())
}

func waitReady(ctx context.Context, url string) bool {
	insecure := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	client := http.Client{Timeout: 5 * time.Second, Transport: insecure}
	for ctx.Err() == nil {
		if answer, err := client.Get(url + "/readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return true
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
