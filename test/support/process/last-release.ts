// Builds the last release from the repository's history: the commit that CHANGELOG.md names.
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.join(import.meta.dirname, '../../..')

/** The commit below the first version heading. */
const [, version = '', commit = ''] =
  /^## \[(\d+\.\d+\.\d+)\][^\n]*\n\nCommit `([0-9a-f]{7,40})`/m.exec(
    readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'),
  ) ?? []

const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })

function isInHistory(): boolean {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

/** The version of the last release or, if it cannot be built, the reason. */
export const lastRelease = {
  version,
  missing: isInHistory() ? undefined : `commit ${commit} is not in this clone: fetch the whole history`,
}

/**
 * Installs and builds the last release in a folder of its own. @returns its main module, and a function that removes
 * the folder.
 */
export async function buildLastRelease(): Promise<{ readonly main: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'last-release-'))
  git('worktree', 'add', '--detach', folder, commit)
  // `prepare` builds it.
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  return {
    main: path.join(folder, 'dist/main.js'),
    async remove() {
      await rm(folder, { recursive: true, force: true })
      git('worktree', 'prune')
    },
  }
}
