// The Vitest configuration for tests that need more than Node, such as a browser, a replica, a pooler or an older release,
// and for those that start many processes or databases, or fill large tables. A test whose requirement is missing is skipped,
// and says what is missing.
import { defineConfig } from 'vitest/config'
import ordinary from './vitest.ts'

export default defineConfig({
  ...ordinary,
  test: {
    ...ordinary.test,
    include: ['test/system/**/*.test.ts'],
    exclude: [],
    reporters: ['verbose'],
    testTimeout: 120_000,
  },
})
