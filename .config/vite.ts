// The Vite configuration of the dashboard, which is built into dist/dashboard.
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'

const outDir = path.resolve(import.meta.dirname, '../dist/dashboard')

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../src/dashboard'),
  // Relative addresses: a proxy may serve the gateway under a path.
  base: './',
  // The gateway replaces it with a new nonce in each response.
  html: { cspNonce: 'CSP_NONCE' },
  plugins: [react(), precompress(path.join(outDir, 'assets'))],
  build: { outDir, emptyOutDir: true, target: 'es2022', reportCompressedSize: false, chunkSizeWarningLimit: 1000 },
  server: { proxy: { '/graphql': { target: 'http://127.0.0.1:3000' } } },
})
