// The glossary: phrases that CONTRIBUTING.md rejects must not occur in the schemas, the code, the tests or the documentation.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

/** The phrases in the first column of the table. */
function rejectedPhrases(): string[] {
  const [, section = ''] = read('CONTRIBUTING.md').split('### Rejected phrases')
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| ([^|]+?) +\|/gm)]
    .map(([, phrase = '']) => phrase)
    .filter((phrase) => phrase !== 'phrase' && !phrase.startsWith('---'))
}

const filesIn = (folder: string, extension: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => name.endsWith(extension) && !name.startsWith('src/data/prisma/'))

/** The files to check. The descriptions of the OpenAPI document are in src/rest. */
const names = [
  ...['schema.graphql', 'prisma/schema.prisma', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...filesIn('docs', '.md'),
  ...['src', 'test', 'bench'].flatMap((folder) => filesIn(folder, '.ts')),
  ...filesIn('src', '.tsx'),
]

/** CONTRIBUTING.md without the tables that list replaced and rejected phrases. */
const withoutGlossary = (text: string) => text.replace(/### Glossary[^]*?(?=\n## )/, '')

/** Joins lines, because a phrase can continue on the next line of a comment. */
const joined = (text: string) => text.replaceAll(/\s*\n\s*(?:\/\/|\*)?\s*/g, ' ')

const texts = names.map((name) => ({
  name,
  text: joined(name === 'CONTRIBUTING.md' ? withoutGlossary(read(name)) : read(name)),
}))

describe('rejected phrases', () => {
  test.each(rejectedPhrases())('do not occur: %s', (phrase) => {
    const pattern = new RegExp(`\\b${phrase}s?\\b`, 'gi')
    const found = texts.flatMap(({ name, text }) =>
      [...text.matchAll(pattern)].map(({ index }) => `${name}: ${text.slice(Math.max(0, index - 30), index + 50)}`),
    )
    expect(found).toEqual([])
  })

  test('are read from CONTRIBUTING.md', () => {
    expect(rejectedPhrases().length).toBeGreaterThan(15)
  })
})
