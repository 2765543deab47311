// Entries of threads: how to start a thread from the compiled program or from source.
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface ThreadEntry {
  readonly filename: string
  readonly execArgv: string[]
}

/**
 * @param parent the `import.meta.url` of the module that starts the thread.
 * @param name the name of the thread's module, which is in the same folder, without its extension.
 */
export function threadEntry(parent: string, name: string): ThreadEntry {
  const own = fileURLToPath(parent)
  const extension = path.extname(own)
  return {
    filename: path.join(path.dirname(own), `${name}${extension}`),
    execArgv: extension === '.ts' ? ['--import', loaderFrom(own)] : [],
  }
}

/**
 * From source, a thread needs the loader for TypeScript. Importing the loader by name works in the main thread only.
 */
function loaderFrom(own: string): string {
  const folder = path.dirname(createRequire(own).resolve('tsx/package.json'))
  const loader = pathToFileURL(path.join(folder, 'dist/esm/api/index.mjs')).href
  return `data:text/javascript,import { register } from '${loader}'; register()`
}
