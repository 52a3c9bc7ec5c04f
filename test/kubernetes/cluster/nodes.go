package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const nodeCount = 3

// What each node has. A pod that asks for more is unschedulable; what pods use together is not counted.
var nodeResources = corev1.ResourceList{
	corev1.ResourceCPU:    resource.MustParse("64"),
	corev1.ResourceMemory: resource.MustParse("256Gi"),
	corev1.ResourcePods:   resource.MustParse("1000"),
}

func nodeName(index int) string { return fmt.Sprintf("pretend-%d", index%nodeCount+1) }

func createNodes(ctx context.Context, client kubernetes.Interface, kubeletPort int) error {
	for i := range nodeCount {
		name := nodeName(i)
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname:     name,
				corev1.LabelOSStable:     "linux",
				corev1.LabelArchStable:   "amd64",
				corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i+1),
			}},
			Status: corev1.NodeStatus{
				// No host name: the API server would look it up.
				Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}},
				DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(kubeletPort)}},
				Conditions:      []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Pretend"}},
				Capacity:        nodeResources, Allocatable: nodeResources,
			},
		}
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// addressOf counts through 10.128.0.0/9; addresses of Services are elsewhere in 10.0.0.0/8.
func addressOf(number uint32) string {
	return fmt.Sprintf("10.%d.%d.%d", 128+(number>>16)&127, (number>>8)&255, number&255)
}
