// Settings that are secrets can be in files, as orchestrators mount them.
import { readFileSync } from 'node:fs'
import { inOneLine } from '../lib/error-line.ts'
import type { settings } from './table.ts'

type Variable = keyof (typeof settings)['shape']

/** The settings that may be secrets. URLs of databases contain passwords. */
const secrets = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'DATABASES',
  'BOOTSTRAP_API_KEY',
  'ENCRYPTION_KEYS',
] as const satisfies readonly Variable[]

const fileOf = (name: (typeof secrets)[number]) => `${name}_FILE` as const

/** The variables that name the files. */
export const fileVariables: readonly string[] = secrets.map(fileOf)

type Read = { readonly value: string } | { readonly problem: string }

function readSecret(variable: string, path: string): Read {
  try {
    // Editors and `echo` end a file with a line break.
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    return value === '' ? { problem: `${variable} must be the path of a file that is not empty` } : { value }
  } catch (error) {
    return { problem: `${variable} cannot be read: ${inOneLine(error)}` }
  }
}

/**
 * Returns environment variables with the contents of the files that they name: `DATABASE_URL_FILE` is the path of a file
 * with `DATABASE_URL`. A trailing line break is ignored.
 *
 * @throws Error with one line for each file that cannot be used, without its content.
 */
export function withSecretFiles(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read: Record<string, string> = {}
  const problems: string[] = []
  for (const name of secrets) {
    const variable = fileOf(name)
    const path = given[variable]
    if (!path) continue
    const found: Read = given[name]
      ? { problem: `${variable} cannot be combined with ${name}` }
      : readSecret(variable, path)
    if ('problem' in found) problems.push(found.problem)
    else read[name] = found.value
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { ...given, ...read }
}
