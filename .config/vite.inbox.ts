// The Vite configuration of the inbox: one module for the pages of others, dist/inbox/inbox.js.
import path from 'node:path'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'

const outDir = path.resolve(import.meta.dirname, '../dist/inbox')
const root = path.resolve(import.meta.dirname, '../src/inbox')

export default defineConfig({
  root,
  plugins: [precompress(outDir)],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    lib: { entry: path.join(root, 'inbox.ts'), formats: ['es'], fileName: () => 'inbox.js' },
    minify: true,
    reportCompressedSize: false,
  },
})
