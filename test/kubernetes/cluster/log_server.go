package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/util/flushwriter"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	criLogs "k8s.io/cri-client/pkg/logs"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// serveLogs answers the API server where it looks for the kubelet of a node.
func (k *kubelet) serveLogs(f files) (port int, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.answerLogs)
	go func() { klog.Fatal(http.ServeTLS(listener, routes, f.certificate(), f.key())) }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (k *kubelet) answerLogs(w http.ResponseWriter, r *http.Request) {
	options := &corev1.PodLogOptions{}
	if err := legacyscheme.ParameterCodec.DecodeParameters(r.URL.Query(), corev1.SchemeGroupVersion, options); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name, container := r.PathValue("pod"), r.PathValue("container")
	pod, err := k.pods.Pods(r.PathValue("namespace")).Get(name)
	if err != nil {
		http.Error(w, fmt.Sprintf("pod %q does not exist", name), http.StatusNotFound)
		return
	}
	id, err := runToRead(pod, container, options.Previous)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	run, found := k.logs.find(id)
	if !found {
		http.Error(w, fmt.Sprintf("no log of %q in pod %q", container, name), http.StatusBadRequest)
		return
	}
	output := flushwriter.Wrap(w)
	read := readOptions(options)
	if err := criLogs.ReadLogs(r.Context(), run.path, id, read, logRuntime{logs: k.logs}, output, output); err != nil && r.Context().Err() == nil {
		klog.ErrorS(err, "pretend kubelet: log", "pod", name)
	}
}

// readOptions does what the kubelet does with the options of a request.
func readOptions(options *corev1.PodLogOptions) *criLogs.LogOptions {
	read := &criLogs.LogOptions{
		TailLines: options.TailLines, LimitBytes: options.LimitBytes,
		Follow: options.Follow, Timestamp: options.Timestamps,
	}
	if options.SinceSeconds != nil {
		read.Since = time.Now().Add(-time.Duration(*options.SinceSeconds) * time.Second)
	}
	if options.SinceTime != nil {
		read.Since = options.SinceTime.Time
	}
	return read
}

// runToRead says which run's log is asked for, or why there is none: as the kubelet's validateContainerLogStatus.
func runToRead(pod *corev1.Pod, name string, previous bool) (id string, err error) {
	status, found := podutil.GetContainerStatus(pod.Status.ContainerStatuses, name)
	if !found {
		status, found = podutil.GetContainerStatus(pod.Status.InitContainerStatuses, name)
	}
	last := status.LastTerminationState.Terminated
	waiting := status.State.Waiting
	switch {
	case !found:
		return "", fmt.Errorf("container %q in pod %q is not available", name, pod.Name)
	case previous && last == nil:
		return "", fmt.Errorf("previous terminated container %q in pod %q not found", name, pod.Name)
	case previous:
		return last.ContainerID, nil
	case status.State.Running != nil:
		return status.ContainerID, nil
	case status.State.Terminated != nil:
		return status.State.Terminated.ContainerID, nil
	case last != nil:
		return last.ContainerID, nil
	}
	why := map[string]string{
		errImagePull:     "image can't be pulled",
		imagePullBackOff: "trying and failing to pull image",
	}[waiting.Reason]
	if why == "" {
		why = waiting.Reason
	}
	return "", fmt.Errorf("container %q in pod %q is waiting to start: %s", name, pod.Name, why)
}

// logRuntime is the little that the reader of logs asks a container runtime.
type logRuntime struct {
	internalapi.RuntimeService
	logs *podLogs
}

func (r logRuntime) ContainerStatus(_ context.Context, id string, _ bool) (*runtimeapi.ContainerStatusResponse, error) {
	state := runtimeapi.ContainerState_CONTAINER_EXITED
	if run, _ := r.logs.find(id); run.isRunning {
		state = runtimeapi.ContainerState_CONTAINER_RUNNING
	}
	return &runtimeapi.ContainerStatusResponse{Status: &runtimeapi.ContainerStatus{State: state}}, nil
}
