package main

import (
	"strings"

	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// Those that what a test deploys depends on. Without persistentvolumeclaim-protection-controller a claim that
// was deleted would stay for ever; without resourcequota-controller no quota would be used up.
var controllers = []string{
	"deployment-controller", "replicaset-controller", "statefulset-controller", "job-controller",
	"horizontal-pod-autoscaler-controller", "disruption-controller", "endpointslice-controller",
	"garbage-collector-controller", "namespace-controller", "resourcequota-controller",
	"serviceaccount-controller", "serviceaccount-token-controller", "root-ca-certificate-publisher-controller",
	"persistentvolumeclaim-protection-controller",
}

// runControllers runs kube-controller-manager; it returns only on failure.
func runControllers(f files) error {
	command := app.NewControllerManagerCommand()
	command.SetArgs([]string{
		"--kubeconfig=" + f.kubeconfig(controllerManager),
		"--secure-port=0",
		"--leader-elect=false",
		"--service-account-private-key-file=" + f.serviceAccountKey(),
		"--root-ca-file=" + f.certificate(),
		"--kube-api-qps=500", "--kube-api-burst=1000",
		"--controllers=" + strings.Join(controllers, ","),
		// A test does not wait for minutes: metrics of a pod count from its first second.
		"--horizontal-pod-autoscaler-sync-period=1s",
		"--horizontal-pod-autoscaler-downscale-stabilization=1s",
		"--horizontal-pod-autoscaler-cpu-initialization-period=1s",
		"--horizontal-pod-autoscaler-initial-readiness-delay=1s",
	})
	return command.Execute()
}
