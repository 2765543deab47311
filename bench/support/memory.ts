// The memory of a gateway's process.
import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'

/** Returns the peak resident memory so far, in bytes. Undefined where it is not available. */
export async function peakMemory({ pid }: ChildProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
