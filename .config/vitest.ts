// The test runner: a real database for every file, prepared once.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Node takes the CommonJS build of graphql, and there must be only one.
  resolve: { alias: { graphql: 'graphql/index.js' } },
  test: {
    include: ['test/**/*.test.ts'],
    // Those need more than Node: `npm run test:system`.
    exclude: ['test/system/**'],
    globalSetup: ['test/support/prepare.ts'],
    // Files follow each other in one process: loading the application and the database anew for each costs more than
    // most of them take. Mocks are restored after each file, and a file leaves no rows behind (test/support/databases.ts).
    isolate: false,
    // A database in process starts within a second or two on a free machine, and in more on a busy one.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
