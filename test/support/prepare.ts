// Global setup of the tests: a migrated, empty database to copy, so that no test file has to create one.
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/data/connection/database.ts'
import { createLogger } from '../../src/lib/log.ts'

/** Location of the prepared database: a folder to copy, or a PostgreSQL template database. */
export type Template = { readonly directory: string } | { readonly server: string; readonly name: string }

declare module 'vitest' {
  export interface ProvidedContext {
    template: Template
    /** The database with the rows of new environments: the main one, or a second one beside it. */
    environments: 'main' | 'elsewhere'
  }
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(server: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Runs one statement on the database that the server URL names. */
export const administer = (server: string, statement: string): Promise<void> =>
  onServer(server, async (client) => {
    await client.query(statement)
  })

/** Drops the template and all its copies, even those still in use. */
const dropAll = (server: string, name: string): Promise<void> =>
  onServer(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [name],
    )
    for (const database of rows) await client.query(`DROP DATABASE ${database.name} WITH (FORCE)`)
  })

export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  project.provide('environments', process.env['TEST_ENVIRONMENTS'] === 'elsewhere' ? 'elsewhere' : 'main')
  const server = process.env['TEST_DATABASE_URL']
  if (server !== undefined && server !== '') {
    const name = `gateway_test_${process.pid}_`
    await administer(server, `CREATE DATABASE ${name}`)
    await (await openDatabase({ url: databaseUrl(server, name) }, createLogger('warn'))).close()
    project.provide('template', { server, name })
    return () => dropAll(server, name)
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-test-'))
  const directory = path.join(folder, 'template')
  await (await openDatabase({ directory }, createLogger('warn'))).close()
  project.provide('template', { directory })
  return () => rm(folder, { recursive: true })
}

let copies = 0

/** Copies the prepared database. Copies that a test does not remove are removed after all tests. */
export async function copyOf(template: Template) {
  const copy = `${process.pid}_${(copies += 1)}`
  if ('directory' in template) {
    const directory = path.join(path.dirname(template.directory), copy)
    // Synchronous, because an asynchronous copy takes ten times as much CPU time.
    cpSync(template.directory, directory, { recursive: true })
    return { location: { directory }, remove: () => rm(directory, { recursive: true }) }
  }
  const name = `${template.name}${copy}`
  await administer(template.server, `CREATE DATABASE ${name} TEMPLATE ${template.name}`)
  return {
    location: { url: databaseUrl(template.server, name) },
    remove: () => administer(template.server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}
