// The Vite configuration: builds the dashboard into dist/dashboard, each file also compressed.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const outDir = path.resolve(import.meta.dirname, '../dist/dashboard')

/** Writes `<file>.br` and `<file>.gz` beside every text file, so that the gateway compresses nothing when it serves them. */
function precompress(): Plugin {
  const compress = async (file: string) => {
    const content = await readFile(file)
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params: quality }))
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }))
  }
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      const files = await readdir(path.join(outDir, 'assets'))
      const texts = files.filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(texts.map((name) => compress(path.join(outDir, 'assets', name))))
    },
  }
}

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../src/dashboard'),
  // Relative addresses: a proxy may serve the gateway under a path.
  base: './',
  // The gateway replaces it with a new nonce in each response.
  html: { cspNonce: 'CSP_NONCE' },
  plugins: [react(), precompress()],
  build: { outDir, emptyOutDir: true, target: 'es2022', reportCompressedSize: false, chunkSizeWarningLimit: 1000 },
  server: { proxy: { '/graphql': { target: 'http://127.0.0.1:3000' } } },
})
