{{/* Names and lists that several templates use. */}}

{{/* The name of the objects: that of the release, which contains the chart's. */}}
{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels that select the processes. They never change. */}}
{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end -}}

{{/* The labels of an object, without a component. */}}
{{- define "gateway.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gateway.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The Secret of the gateway. */}}
{{- define "gateway.secret" -}}
{{ .Values.secrets.existingSecret | default (include "gateway.name" .) }}
{{- end -}}

{{/* The secrets of the gateway, separated by spaces. */}}
{{- define "gateway.secretNames" -}}
{{- $names := .Values.secrets.names -}}
{{- if not .Values.secrets.existingSecret -}}
{{- $names = keys .Values.secrets.values | sortAlpha -}}
{{- end -}}
{{- range list "DATABASE_URL" "ENCRYPTION_KEYS" -}}
{{- if not (has . $names) -}}
{{- fail (printf "%s is required: set secrets.existingSecret, or secrets.values.%s" . .) -}}
{{- end -}}
{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/* The rights of a container: none. */}}
{{- define "gateway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* The user of a pod: `node` of the image, which can read the secrets through its group. */}}
{{- define "gateway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}
