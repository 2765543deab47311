// The cases of graphql-js for default values of arguments and limits of coercion errors, for our executor:
// `src/execution/__tests__/variables-test.ts` of graphql-js 16. Copyright (c) GraphQL Contributors, MIT License.
import { parse } from 'graphql'
import { describe, it } from 'vitest'
import { executeSync, expectJSON } from '../../support/graphql-js.ts'
import { executeQuery, expectData, inputSchema } from '../../support/graphql-js-inputs.ts'

describe('Execute: Handles inputs', () => {
  describe('Execute: Uses argument default values', () => {
    it('when no argument provided', () => {
      expectData('{ fieldWithDefaultArgumentValue }', {
        fieldWithDefaultArgumentValue: '"Hello World"',
      })
    })

    it('when omitted variable provided', () => {
      expectData(
        `
        query ($optional: String) {
          fieldWithDefaultArgumentValue(input: $optional)
        }
      `,
        {
          fieldWithDefaultArgumentValue: '"Hello World"',
        },
      )
    })

    it('not when argument cannot be coerced', () => {
      const result = executeQuery(`
        {
          fieldWithDefaultArgumentValue(input: WRONG_TYPE)
        }
      `)

      expectJSON(result).toDeepEqual({
        data: {
          fieldWithDefaultArgumentValue: null,
        },
        errors: [
          {
            message: 'Argument "input" has invalid value WRONG_TYPE.',
            locations: [{ line: 3, column: 48 }],
            path: ['fieldWithDefaultArgumentValue'],
          },
        ],
      })
    })

    it('when no runtime value is provided to a non-null argument', () => {
      expectData(
        `
        query optionalVariable($optional: String) {
          fieldWithNonNullableStringInputAndDefaultArgumentValue(input: $optional)
        }
      `,
        {
          fieldWithNonNullableStringInputAndDefaultArgumentValue: '"Hello World"',
        },
      )
    })
  })

  describe('limit maximum number of coercion errors', () => {
    const doc = parse(`
      query ($input: [String!]) {
        listNN(input: $input)
      }
    `)

    const inputValue = { input: [0, 1, 2] }

    function invalidValueError(value: number, index: number) {
      return {
        message: `Variable "$input" got invalid value ${value} at "input[${index}]"; String cannot represent a non string value: ${value}`,
        locations: [{ line: 2, column: 14 }],
      }
    }

    it('return all errors by default', () => {
      const result = executeSync({ schema: inputSchema, document: doc, variableValues: inputValue })

      expectJSON(result).toDeepEqual({
        errors: [invalidValueError(0, 0), invalidValueError(1, 1), invalidValueError(2, 2)],
      })
    })

    it('when maxErrors is equal to number of errors', () => {
      const result = executeSync({
        schema: inputSchema,
        document: doc,
        variableValues: inputValue,
        options: { maxCoercionErrors: 3 },
      })

      expectJSON(result).toDeepEqual({
        errors: [invalidValueError(0, 0), invalidValueError(1, 1), invalidValueError(2, 2)],
      })
    })

    it('when maxErrors is less than number of errors', () => {
      const result = executeSync({
        schema: inputSchema,
        document: doc,
        variableValues: inputValue,
        options: { maxCoercionErrors: 2 },
      })

      expectJSON(result).toDeepEqual({
        errors: [
          invalidValueError(0, 0),
          invalidValueError(1, 1),
          {
            message: 'Too many errors processing variables, error limit reached. Execution aborted.',
          },
        ],
      })
    })
  })
})
