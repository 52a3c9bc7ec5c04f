// Command cluster FOLDER is a Kubernetes cluster for tests, on 127.0.0.1: the real API server with etcd and the
// real controllers, but a pretend scheduler and kubelet. All its files are in FOLDER. It prints "ready URL" and
// serves until SIGTERM or the end of stdin. README.md says what it does and what the pretend parts can.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: cluster FOLDER"))
	}
	ctx := endWithStarter()
	files := files{os.Args[1]}
	if len(os.Args) == 3 && os.Args[2] == "controllers" {
		fail(control(ctx, files))
	}
	fail(serve(ctx, files))
}

// endWithStarter ends this process at SIGTERM and when stdin ends, which it does when the starter dies.
func endWithStarter() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	go func() {
		<-ctx.Done()
		os.Exit(0) // at once: a graceful stop takes seconds, and nothing here is kept
	}()
	return ctx
}

func serve(ctx context.Context, f files) error {
	return runServer(ctx, f, func(url string) {
		if err := prepare(ctx, f); err != nil {
			fail(err)
		}
		startControllers(f)
		fmt.Println("ready", url)
	})
}

// startControllers starts this program once more, as controllers and kubelet: kube-controller-manager and
// kube-apiserver both keep global state, so each needs a process. Returns when the kubelet works.
func startControllers(f files) {
	self, err := os.Executable()
	if err != nil {
		fail(err)
	}
	child := exec.Command(self, f.folder, "controllers")
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	if err != nil {
		fail(err)
	}
	// It closes with this process, and then the child ends too.
	if _, err := child.StdinPipe(); err != nil {
		fail(err)
	}
	if err := child.Start(); err != nil {
		fail(err)
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		fail(fmt.Errorf("the controllers did not start: %v", child.Wait()))
	}
	// Waiting also keeps `child`, and with it the pipe, from being collected.
	go func() { fail(fmt.Errorf("the controllers ended: %v", child.Wait())) }()
}

func control(ctx context.Context, f files) error {
	if err := startKubelet(ctx, f); err != nil {
		return err
	}
	fmt.Println("ready")
	return runControllers(f)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
