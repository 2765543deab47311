// The user that runs PostgreSQL's programs, which refuse to run as root.
import { spawnSync } from 'node:child_process'

function idOf(flag: '-u' | '-g'): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}

/** The ids of a system user, or none to keep the current user. */
export type ProcessUser =
  { readonly uid: number; readonly gid: number } | { readonly uid?: never; readonly gid?: never }

function find(): ProcessUser | undefined {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  return uid === undefined || gid === undefined ? undefined : { uid, gid }
}

/**
 * Options for a child process: the user postgres if the tests run as root, otherwise the current user. Undefined if
 * root has no such user.
 */
export const postgresUser: ProcessUser | undefined = find()
