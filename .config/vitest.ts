// The Vitest configuration: every file runs on a real database, which is prepared once.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Node loads the CommonJS build of graphql, and two copies cannot be mixed.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // These tests need more than Node and run with `npm run test:system`.
    exclude: ['test/system/**'],
    globalSetup: ['test/support/prepare.ts'],
    setupFiles: ['test/support/deprecations.ts', 'test/support/statement/guard.ts'],
    // Files share a process, because loading the application and the database again for each would take longer than
    // most of them run. Mocks are restored after each file, and no file leaves rows behind (test/support/databases.ts).
    isolate: false,
    // An embedded database starts within two seconds on an idle machine, but takes longer on a busy one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // More room for young objects: the garbage collector needs less CPU time.
    execArgv: ['--max-semi-space-size=64'],
  },
})
