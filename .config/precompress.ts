// A Vite plugin that compresses what was built, so that the gateway compresses nothing when it serves it.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

async function compress(file: string): Promise<void> {
  const content = await readFile(file)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params: quality }))
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }))
}

/** Writes `<file>.br` and `<file>.gz` beside every script, style and image in a folder. */
export function precompress(folder: string): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      const files = await readdir(folder)
      const texts = files.filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(texts.map((name) => compress(path.join(folder, name))))
    },
  }
}
