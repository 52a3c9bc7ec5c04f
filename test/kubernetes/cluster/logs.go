package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/klog/v2"
)

// podLogs are files as the container runtime writes them, one a run: the kubelet's own reader serves them.
type podLogs struct {
	folder string
	mutex  sync.Mutex
	runs   map[string]*logRun // by the container's id
}

type logRun struct {
	path      string
	isRunning bool
}

// logged is how far the pretend output of a run has come.
type logged struct {
	begun     bool
	ticks     int
	toldOfEnd bool
	lastAt    time.Time
}

func newPodLogs(folder string) *podLogs {
	return &podLogs{folder: folder, runs: map[string]*logRun{}}
}

func (l *podLogs) folderOf(r *podRecord) string { return filepath.Join(l.folder, string(r.uid)) }

func (l *podLogs) open(r *podRecord, c *container) {
	folder := filepath.Join(l.folderOf(r), c.spec.Name)
	path := filepath.Join(folder, fmt.Sprintf("%d.log", c.runs-1))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		klog.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		klog.Fatal(err)
	}
	c.log, c.logged = file, logged{}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.runs[c.id] = &logRun{path, true}
}

func (l *podLogs) close(c *container) {
	c.log.Close()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.runs[c.id].isRunning = false
}

func (l *podLogs) find(id string) (logRun, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if run := l.runs[id]; run != nil {
		return *run, true
	}
	return logRun{}, false
}

// remove forgets a pod that is gone. Its followers have read to the end before: their files are open.
func (l *podLogs) remove(r *podRecord) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for id := range l.runs {
		if strings.HasPrefix(id, "pretend://"+string(r.uid)+".") {
			delete(l.runs, id)
		}
	}
	for _, c := range r.containers {
		if c.state.Running != nil {
			c.log.Close()
		}
	}
	_ = os.RemoveAll(l.folderOf(r))
}

// writeLog writes what a run has to say by now: its first lines, one more each `log-every-ms`, and one at SIGTERM.
func (t *turn) writeLog(c *container) {
	if !c.logged.begun {
		c.logged.begun = true
		for _, line := range c.firstLines() {
			c.logLine(c.startedAt, line)
		}
	}
	if every := c.does.duration("log-every-ms", 0); every > 0 {
		next := func() time.Time { return c.startedAt.Add(time.Duration(c.logged.ticks+1) * every) }
		for ; !t.now.Before(next()); c.logged.ticks++ {
			c.logLine(next(), fmt.Sprintf("tick %d", c.logged.ticks+1))
		}
		t.wake(next())
	}
	if !c.termAt.IsZero() && !t.now.Before(c.termAt) && !c.logged.toldOfEnd {
		c.logged.toldOfEnd = true
		c.logLine(t.now, c.spec.Name+" received SIGTERM")
	}
}

func (c *container) firstLines() []string {
	if c.does.has("log") {
		return strings.Split(strings.TrimSuffix(c.does["log"], "\n"), "\n")
	}
	if !c.does.has("log-lines") {
		return []string{"pretend log of " + c.spec.Name}
	}
	lines := []string{}
	for i := range c.does.number("log-lines", 0) {
		lines = append(lines, fmt.Sprintf("line %d", i+1))
	}
	return lines
}

// logLine writes one line in the format of a container runtime. Every line of a run has a time of its own.
func (c *container) logLine(at time.Time, line string) {
	if !at.After(c.logged.lastAt) {
		at = c.logged.lastAt.Add(time.Microsecond)
	}
	c.logged.lastAt = at
	fmt.Fprintf(c.log, "%s stdout F %s\n", at.UTC().Format(time.RFC3339Nano), line)
}
