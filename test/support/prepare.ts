// Once before all tests: a migrated, empty database to copy, so that no test file pays for making one.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/data/database.ts'

/** Where the prepared database is: a folder to copy, or a PostgreSQL database to take as template. */
export type Template = { readonly directory: string } | { readonly server: string; readonly name: string }

declare module 'vitest' {
  export interface ProvidedContext {
    template: Template
  }
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Runs one statement on the server's own database. */
export async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const server = process.env['TEST_DATABASE_URL']
  if (server !== undefined && server !== '') {
    const name = `gateway_template_${process.pid}`
    await administer(server, `CREATE DATABASE ${name}`)
    await (await openDatabase({ url: databaseUrl(server, name) })).close()
    project.provide('template', { server, name })
    return () => administer(server, `DROP DATABASE ${name}`)
  }
  const directory = await mkdtemp(path.join(tmpdir(), 'gateway-template-'))
  await (await openDatabase({ directory })).close()
  project.provide('template', { directory })
  return () => rm(directory, { recursive: true })
}

/** A copy of the prepared database for one test file. */
export async function copyOf(template: Template) {
  if ('directory' in template) {
    const directory = await mkdtemp(path.join(tmpdir(), 'gateway-test-'))
    await cp(template.directory, directory, { recursive: true })
    return { location: { directory }, remove: () => rm(directory, { recursive: true }) }
  }
  const name = `gateway_test_${process.pid}_${Date.now().toString(36)}`
  await administer(template.server, `CREATE DATABASE ${name} TEMPLATE ${template.name}`)
  return {
    location: { url: databaseUrl(template.server, name) },
    remove: () => administer(template.server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}
