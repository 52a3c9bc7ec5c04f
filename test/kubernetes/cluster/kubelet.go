package main

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const podWorkers = 4

// kubelet is the scheduler and the kubelet of all nodes. It starts no container: it says what happens to pods
// as a real one would.
type kubelet struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	events record.EventRecorder
	logs   *podLogs
	rules  rules
	queue  workqueue.TypedRateLimitingInterface[string]

	mutex     sync.Mutex
	records   map[string]*podRecord // by namespace/name
	addresses uint32
	scheduled int
}

// startKubelet returns when it knows all pods and answers for their logs.
func startKubelet(ctx context.Context, f files) error {
	config, err := clientConfig(f, pretendKubelet)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	k := &kubelet{
		client:  client,
		pods:    pods.Lister(),
		events:  newRecorder(ctx, client),
		logs:    newPodLogs(f.podLogs()),
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		records: map[string]*podRecord{},
	}
	port, err := k.serveLogs(f)
	if err != nil {
		return err
	}
	if err := createNodes(ctx, client, port); err != nil {
		return err
	}
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    k.enqueue,
		UpdateFunc: func(_, o any) { k.enqueue(o) },
		DeleteFunc: k.enqueue,
	}); err != nil {
		return err
	}
	haveRules := k.rules.follow(ctx, client, k.enqueueAll)
	if err := startDisks(ctx, client, factory, k.events); err != nil {
		return err
	}
	if err := startMetrics(ctx, config, factory, k); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), haveRules) {
		return errors.New("the pretend kubelet was stopped")
	}
	for range podWorkers {
		go k.work(ctx)
	}
	return nil
}

func (k *kubelet) enqueue(o any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o); err == nil {
		k.queue.Add(key)
	}
}

// enqueueAll looks at every pod again, for rules that have changed.
func (k *kubelet) enqueueAll() {
	pods, _ := k.pods.List(labels.Everything())
	for _, pod := range pods {
		k.enqueue(pod)
	}
}

func (k *kubelet) work(ctx context.Context) {
	for {
		key, over := k.queue.Get()
		if over {
			return
		}
		wakeAt, err := k.sync(ctx, key)
		switch {
		case err == nil:
			k.queue.Forget(key)
			if !wakeAt.IsZero() {
				k.queue.AddAfter(key, time.Until(wakeAt))
			}
		default:
			// What was written meanwhile is read soon.
			if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
				klog.ErrorS(err, "pretend kubelet", "pod", key)
			}
			k.queue.AddRateLimited(key)
		}
		k.queue.Done(key)
	}
}

// sync moves one pod on to what it should be now, and says when something will change without being told.
func (k *kubelet) sync(ctx context.Context, key string) (wakeAt time.Time, err error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return wakeAt, err
	}
	pod, err := k.pods.Pods(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		k.forget(key)
		return wakeAt, nil
	}
	if err != nil {
		return wakeAt, err
	}
	isOver := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if pod.DeletionTimestamp == nil && isOver {
		return wakeAt, nil
	}
	if pod.Spec.NodeName == "" {
		return k.schedule(ctx, pod)
	}
	turn := &turn{k: k, ctx: ctx, pod: pod, record: k.recordOf(key, pod), now: time.Now()}
	turn.advance()
	status := turn.status()
	if !equality.Semantic.DeepEqual(status, pod.Status) {
		changed := pod.DeepCopy()
		changed.Status = status
		if _, err := k.client.CoreV1().Pods(namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil {
			return wakeAt, err
		}
	}
	if pod.DeletionTimestamp != nil && turn.record.hasStopped() {
		return wakeAt, k.remove(ctx, pod)
	}
	return turn.wakeAt, nil
}

// remove lets a deleted pod go, as the kubelet does when its last container has ended.
func (k *kubelet) remove(ctx context.Context, pod *corev1.Pod) error {
	return k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
}

// recordOf finds what is known of a pod, and begins anew for one that took the name of another.
func (k *kubelet) recordOf(key string, pod *corev1.Pod) *podRecord {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if found := k.records[key]; found != nil && found.uid == pod.UID {
		return found
	}
	if old := k.records[key]; old != nil {
		k.logs.remove(old)
	}
	k.addresses++
	k.records[key] = newPodRecord(pod, addressOf(k.addresses))
	return k.records[key]
}

func (k *kubelet) forget(key string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if old := k.records[key]; old != nil {
		k.logs.remove(old)
		delete(k.records, key)
	}
}
