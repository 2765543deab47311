// The objects of Kubernetes that the Helm chart renders, as far as tests read them.
import { z } from 'zod'

const texts = z.record(z.string(), z.string())
const metadata = z.object({ name: z.string().optional(), labels: texts, annotations: texts.default({}) })
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })

const container = z.object({
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
})

const secretVolume = z.object({
  secretName: z.string(),
  items: z.array(z.object({ key: z.string(), path: z.string() })),
})

const pod = z.object({
  metadata,
  spec: z.looseObject({
    terminationGracePeriodSeconds: z.number().optional(),
    containers: z.tuple([container]),
    volumes: z.array(z.looseObject({ name: z.string(), secret: secretVolume.optional() })),
  }),
})

/** Services have the labels, and other objects have them below `matchLabels`. */
const selector = z.union([z.object({ matchLabels: texts }).transform(({ matchLabels }) => matchLabels), texts])

export const kubernetesObject = z.object({
  kind: z.string(),
  metadata: metadata.extend({ name: z.string() }),
  stringData: texts.optional(),
  spec: z.looseObject({ selector: selector.optional(), template: pod.optional() }).optional(),
})

export type KubernetesObject = z.output<typeof kubernetesObject>
