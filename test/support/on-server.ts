// Whether the tests run on a PostgreSQL server (TEST_DATABASE_URL) or on the embedded database.
import { inject } from 'vitest'

export const onServer = 'server' in inject('template')
