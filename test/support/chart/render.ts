// Renders the Helm chart with test/support/chart/render.go, on machines that have Go and the libraries of Helm.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { kubernetesObject, type KubernetesObject } from './objects.ts'

const folder = path.join(import.meta.dirname, '../../../docs/deploy/helm/notification-gateway')

/** The libraries of Debian's packages. */
const libraries = '/usr/share/gocode'

/** True if the chart can be rendered. */
export const canRender =
  spawnSync('go', ['version']).status === 0 &&
  ['github.com/Masterminds/sprig', 'sigs.k8s.io/yaml'].every((name) => existsSync(path.join(libraries, 'src', name)))

export interface Rendered {
  /** By kind and name without that of the release, such as `Service metrics`. */
  readonly objects: ReadonlyMap<string, KubernetesObject>
  readonly notes: string
}

const RELEASE = 'mail-notification-gateway'

const keyOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name.slice(RELEASE.length + 1)}`.trim()

/** Builds the program that renders. @returns a function from values, as YAML, to what they render. */
export function useChart(): (values: string) => Rendered {
  let program = ''
  beforeAll(() => {
    const built = mkdtempSync(path.join(tmpdir(), 'gateway-chart-'))
    program = path.join(built, 'render')
    const source = path.join(import.meta.dirname, 'render.go')
    const settings = ['GO111MODULE=off', `GOPATH=${libraries}`, `GOCACHE=${path.join(built, 'cache')}`]
    const { status, stderr } = spawnSync('env', [...settings, 'go', 'build', '-o', program, source], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
  }, 300_000)
  afterAll(() => rmSync(path.dirname(program), { recursive: true, force: true }))
  return (values) => {
    const { status, stdout, stderr } = spawnSync(program, [folder], { input: values, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    const [notes = '', ...others] = stdout.split(/^---\n(?=# Source: (?!NOTES))/m)
    const objects = parseAllDocuments(others.join('---\n'), { version: '1.1' }).flatMap((document) => {
      const [problem] = document.errors
      if (problem !== undefined) throw problem
      const parsed: unknown = document.toJS()
      return parsed === null ? [] : [kubernetesObject.parse(parsed)]
    })
    return { objects: new Map(objects.map((one) => [keyOf(one), one])), notes }
  }
}
