{{- define "slipway-listener.selector" -}}
app.kubernetes.io/name: slipway-listener
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "slipway-listener.labels" -}}
{{ include "slipway-listener.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "slipway-listener.image" -}}
{{- $repository := required "image.repository is required: where you pushed the image that the Dockerfile makes." .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The namespaces of agents, checked. */}}
{{- define "slipway-listener.namespaces" -}}
{{- if not .Values.namespaces -}}
{{- fail "namespaces is required: where agents run, such as [agents]." -}}
{{- end -}}
{{- if has .Release.Namespace .Values.namespaces -}}
{{- fail (printf "namespaces must not contain %s, where the listener itself is installed: whoever deploys an agent there could read its API key and act as the listener. Install the listener in a namespace of its own." .Release.Namespace) -}}
{{- end -}}
{{- join "," .Values.namespaces -}}
{{- end }}

{{/* Seconds matter less than that a program that hangs cannot pass: it writes this file while it works. */}}
{{- define "slipway-listener.probe" -}}
exec:
  command: [sh, -c, 'test -n "$(find /tmp/heartbeat -mmin -1)"']
timeoutSeconds: 5
{{- end }}
