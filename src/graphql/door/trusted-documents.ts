// The file with the operator's trusted documents, which is read and checked when the process starts.
import { validate } from 'graphql'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { parseBounded } from '../pipeline/document-limits.ts'
import { schema } from '../graph/schema.ts'
import type { TrustedDocuments } from '../pipeline/persisted-queries.ts'

/** The format that GraphQL Code Generator and the Relay compiler write. */
const list = z.record(z.string().min(1), z.string(), { error: 'must be a JSON object of documents by their ids' })

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The first reason why a document cannot be executed, or undefined. */
function errorOf(document: string): string | undefined {
  try {
    return validate(schema, parseBounded(document).document)[0]?.message
  } catch (error) {
    return messageOf(error)
  }
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`TRUSTED_DOCUMENTS cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** @throws Error that names the first problem: the file is unreadable, or a document is invalid. */
export function readTrustedDocuments(file: string): TrustedDocuments {
  const { data, error } = list.safeParse(parseFile(file))
  if (error !== undefined) throw new Error(`TRUSTED_DOCUMENTS ${file}: ${error.issues[0]?.message ?? 'is invalid'}`)
  const documents = new Map(Object.entries(data))
  if (documents.size === 0) throw new Error(`TRUSTED_DOCUMENTS ${file}: has no documents`)
  for (const [id, document] of documents) {
    const reason = errorOf(document)
    if (reason !== undefined) throw new Error(`TRUSTED_DOCUMENTS ${file}: the document "${id}" is invalid: ${reason}`)
  }
  return documents
}
