// The Vite configuration of GraphiQL, which is built into dist/graphiql.
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'

const outDir = path.resolve(import.meta.dirname, '../dist/graphiql')
/** The page is at `/graphql`, and its files are at `/graphiql/…`, beside those of the dashboard. */
const assetsDir = 'graphiql'

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../src/graphiql'),
  // Relative addresses: a proxy may serve the gateway under a path.
  base: './',
  plugins: [react(), precompress(path.join(outDir, assetsDir))],
  build: {
    outDir,
    assetsDir,
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    // The editor alone has 3 MB.
    chunkSizeWarningLimit: 5000,
    rolldownOptions: {
      // GraphiQL comes compiled. Directives for the compiler of React have no effect any more.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
  },
})
