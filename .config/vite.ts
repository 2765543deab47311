// The Vite configuration of the dashboard, which is built into dist/dashboard.
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'

const root = path.resolve(import.meta.dirname, '../src/dashboard')
const outDir = path.resolve(import.meta.dirname, '../dist/dashboard')

const WORKER = 'session-worker'

/**
 * The files of a page: what the sign-in page needs, what Home needs, what many pages share, and what a few pages share,
 * merged into files of a useful size. A page then loads a few files instead of one for each part.
 */
const groups = [
  { name: 'core', test: /rolldown\/runtime/, priority: 5 },
  // The worker is a file of its own: it cannot import another one.
  { name: 'core', tags: ['$initial' as const], test: /^(?!.*dashboard\/worker\/)/, priority: 4 },
  { name: 'home', test: /shell\/dashboard\.tsx$|pages\/home\/home\.tsx$/, priority: 3 },
  // Large fields of few pages, for numbers and for the color of an environment. In the files below, they would be loaded
  // by many others.
  { name: 'number', test: /NumberInput/, priority: 2.5 },
  { name: 'shared', minShareCount: 3, priority: 2 },
  { name: 'color', test: /environments\/environment-form/, priority: 1.5 },
  // Merged into a file below, they would make the page of an event load all of it.
  { name: 'recipients', test: /events\/trigger-recipients/, priority: 1.5 },
  { name: 'part', minShareCount: 2, priority: 1, entriesAware: true, entriesAwareMergeThreshold: 30_000 },
]

export default defineConfig({
  root,
  // Relative addresses: a proxy may serve the gateway under a path.
  base: './',
  // The gateway replaces it with a new nonce in each response.
  html: { cspNonce: 'CSP_NONCE' },
  plugins: [react(), precompress(path.join(outDir, 'assets'))],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: { index: path.join(root, 'index.html'), [WORKER]: path.join(root, 'worker/session-worker.ts') },
      output: {
        codeSplitting: { groups },
        // The scope of a worker is the folder of its file, and its name must stay the same.
        entryFileNames: ({ name }) => (name === WORKER ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: { proxy: { '/graphql': { target: 'http://127.0.0.1:3000' } } },
})
