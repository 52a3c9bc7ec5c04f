package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// missingEnvironment looks for the Secrets, ConfigMaps and keys that a container's variables come from, and
// says what is missing as the kubelet does.
func (t *turn) missingEnvironment(c *container) string {
	for _, from := range c.spec.EnvFrom {
		if from.SecretRef != nil && !isTrue(from.SecretRef.Optional) {
			if _, message := t.secretKeys(from.SecretRef.Name); message != "" {
				return message
			}
		}
		if from.ConfigMapRef != nil && !isTrue(from.ConfigMapRef.Optional) {
			if _, message := t.configMapKeys(from.ConfigMapRef.Name); message != "" {
				return message
			}
		}
	}
	for _, variable := range c.spec.Env {
		if message := t.missingValue(variable.ValueFrom); message != "" {
			return message
		}
	}
	return ""
}

func (t *turn) missingValue(from *corev1.EnvVarSource) string {
	if from == nil {
		return ""
	}
	if ref := from.SecretKeyRef; ref != nil && !isTrue(ref.Optional) {
		keys, message := t.secretKeys(ref.Name)
		if message == "" && !keys[ref.Key] {
			message = fmt.Sprintf("couldn't find key %v in Secret %v/%v", ref.Key, t.pod.Namespace, ref.Name)
		}
		return message
	}
	if ref := from.ConfigMapKeyRef; ref != nil && !isTrue(ref.Optional) {
		keys, message := t.configMapKeys(ref.Name)
		if message == "" && !keys[ref.Key] {
			message = fmt.Sprintf("couldn't find key %v in ConfigMap %v/%v", ref.Key, t.pod.Namespace, ref.Name)
		}
		return message
	}
	return ""
}

// missingVolume looks for the Secrets and ConfigMaps that are mounted. Without them no container starts.
func (t *turn) missingVolume() string {
	for _, volume := range t.pod.Spec.Volumes {
		message := ""
		if source := volume.Secret; source != nil && !isTrue(source.Optional) {
			_, message = t.secretKeys(source.SecretName)
		}
		if source := volume.ConfigMap; source != nil && !isTrue(source.Optional) {
			_, message = t.configMapKeys(source.Name)
		}
		if message != "" {
			return fmt.Sprintf("MountVolume.SetUp failed for volume %q : %s", volume.Name, message)
		}
	}
	return ""
}

func (t *turn) secretKeys(name string) (keys map[string]bool, message string) {
	secret, err := t.k.client.CoreV1().Secrets(t.pod.Namespace).Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, missing("secret", name, err)
	}
	return keysOf(secret.Data), ""
}

func (t *turn) configMapKeys(name string) (keys map[string]bool, message string) {
	configMap, err := t.k.client.CoreV1().ConfigMaps(t.pod.Namespace).Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, missing("configmap", name, err)
	}
	return keysOf(configMap.Data), ""
}

func missing(kind, name string, err error) string {
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("%s %q not found", kind, name)
	}
	return err.Error()
}

func keysOf[V any](data map[string]V) map[string]bool {
	keys := map[string]bool{}
	for key := range data {
		keys[key] = true
	}
	return keys
}

func isTrue(value *bool) bool { return value != nil && *value }
