// The cases of graphql-js for input objects in literals, for our executor: `src/execution/__tests__/variables-test.ts` of
// graphql-js 16. Copyright (c) GraphQL Contributors, MIT License.
import { describe, it } from 'vitest'
import { expectJSON } from '../../support/graphql-js.ts'
import { executeQuery, expectData } from '../../support/graphql-js-inputs.ts'

describe('Execute: Handles inputs', () => {
  describe('Handles objects and nullability', () => {
    describe('using inline structs', () => {
      it('executes with complex input', () => {
        expectData(
          `
          {
            fieldWithObjectInput(input: {a: "foo", b: ["bar"], c: "baz"})
          }
        `,
          {
            fieldWithObjectInput: '{ a: "foo", b: ["bar"], c: "baz" }',
          },
        )
      })

      it('properly parses single value to list', () => {
        expectData(
          `
          {
            fieldWithObjectInput(input: {a: "foo", b: "bar", c: "baz"})
          }
        `,
          {
            fieldWithObjectInput: '{ a: "foo", b: ["bar"], c: "baz" }',
          },
        )
      })

      it('properly parses null value to null', () => {
        expectData(
          `
          {
            fieldWithObjectInput(input: {a: null, b: null, c: "C", d: null})
          }
        `,
          {
            fieldWithObjectInput: '{ a: null, b: null, c: "C", d: null }',
          },
        )
      })

      it('properly parses null value in list', () => {
        expectData(
          `
          {
            fieldWithObjectInput(input: {b: ["A",null,"C"], c: "C"})
          }
        `,
          {
            fieldWithObjectInput: '{ b: ["A", null, "C"], c: "C" }',
          },
        )
      })

      it('does not use incorrect value', () => {
        const result = executeQuery(`
          {
            fieldWithObjectInput(input: ["foo", "bar", "baz"])
          }
        `)

        expectJSON(result).toDeepEqual({
          data: {
            fieldWithObjectInput: null,
          },
          errors: [
            {
              message: 'Argument "input" has invalid value ["foo", "bar", "baz"].',
              path: ['fieldWithObjectInput'],
              locations: [{ line: 3, column: 41 }],
            },
          ],
        })
      })

      it('properly runs parseLiteral on complex scalar types', () => {
        expectData(
          `
          {
            fieldWithObjectInput(input: {c: "foo", d: "SerializedValue"})
          }
        `,
          {
            fieldWithObjectInput: '{ c: "foo", d: "DeserializedValue" }',
          },
        )
      })
    })

    it('errors on faulty scalar type input', () => {
      const result = executeQuery(`
        {
          fieldWithObjectInput(input: {c: "foo", e: "bar"})
        }
      `)

      expectJSON(result).toDeepEqual({
        data: {
          fieldWithObjectInput: null,
        },
        errors: [
          {
            message: 'Argument "input" has invalid value {c: "foo", e: "bar"}.',
            path: ['fieldWithObjectInput'],
            locations: [{ line: 3, column: 39 }],
          },
        ],
      })
    })
  })
})
