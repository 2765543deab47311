// Creates the empty database, with all migrations. Part of `npm run build`.
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { createLogger } from '../../lib/log.ts'
import { openDatabase } from './database.ts'
import { emptyDatabase } from '../embedded/empty-database.ts'

const directory = `${emptyDatabase}-new`
for (const old of [emptyDatabase, directory]) await rm(old, { recursive: true, force: true })
const database = await openDatabase({ directory }, createLogger('warn'))
await database.close()
await rename(path.join(directory, 'database'), emptyDatabase)
await rm(directory, { recursive: true })
