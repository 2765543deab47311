// The cases of graphql-js for list inputs, for our executor: `src/execution/__tests__/variables-test.ts` of graphql-js
// 16. Copyright (c) GraphQL Contributors, MIT License.
import { describe, it } from 'vitest'
import { expectJSON } from '../../support/graphql-js.ts'
import { executeQuery, expectData } from '../../support/graphql-js-inputs.ts'

describe('Execute: Handles inputs', () => {
  describe('Handles lists and nullability', () => {
    it('allows lists to be null', () => {
      expectData(
        `
        query ($input: [String]) {
          list(input: $input)
        }
      `,
        { list: 'null' },
        { input: null },
      )
    })

    it('allows lists to contain values', () => {
      expectData(
        `
        query ($input: [String]) {
          list(input: $input)
        }
      `,
        { list: '["A"]' },
        { input: ['A'] },
      )
    })

    it('allows lists to contain null', () => {
      expectData(
        `
        query ($input: [String]) {
          list(input: $input)
        }
      `,
        { list: '["A", null, "B"]' },
        { input: ['A', null, 'B'] },
      )
    })

    it('does not allow non-null lists to be null', () => {
      const doc = `
        query ($input: [String]!) {
          nnList(input: $input)
        }
      `
      const result = executeQuery(doc, { input: null })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message: 'Variable "$input" of non-null type "[String]!" must not be null.',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })
    })

    it('allows non-null lists to contain values', () => {
      expectData(
        `
        query ($input: [String]!) {
          nnList(input: $input)
        }
      `,
        { nnList: '["A"]' },
        { input: ['A'] },
      )
    })

    it('allows non-null lists to contain null', () => {
      expectData(
        `
        query ($input: [String]!) {
          nnList(input: $input)
        }
      `,
        { nnList: '["A", null, "B"]' },
        { input: ['A', null, 'B'] },
      )
    })

    it('allows lists of non-nulls to be null', () => {
      expectData(
        `
        query ($input: [String!]) {
          listNN(input: $input)
        }
      `,
        { listNN: 'null' },
        { input: null },
      )
    })

    it('allows lists of non-nulls to contain values', () => {
      expectData(
        `
        query ($input: [String!]) {
          listNN(input: $input)
        }
      `,
        { listNN: '["A"]' },
        { input: ['A'] },
      )
    })

    it('does not allow lists of non-nulls to contain null', () => {
      const doc = `
        query ($input: [String!]) {
          listNN(input: $input)
        }
      `
      const result = executeQuery(doc, { input: ['A', null, 'B'] })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message:
              'Variable "$input" got invalid value null at "input[1]"; Expected non-nullable type "String!" not to be null.',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })
    })

    it('does not allow non-null lists of non-nulls to be null', () => {
      const doc = `
        query ($input: [String!]!) {
          nnListNN(input: $input)
        }
      `
      const result = executeQuery(doc, { input: null })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message: 'Variable "$input" of non-null type "[String!]!" must not be null.',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })
    })

    it('allows non-null lists of non-nulls to contain values', () => {
      expectData(
        `
        query ($input: [String!]!) {
          nnListNN(input: $input)
        }
      `,
        { nnListNN: '["A"]' },
        { input: ['A'] },
      )
    })

    it('does not allow non-null lists of non-nulls to contain null', () => {
      const doc = `
        query ($input: [String!]!) {
          nnListNN(input: $input)
        }
      `
      const result = executeQuery(doc, { input: ['A', null, 'B'] })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message:
              'Variable "$input" got invalid value null at "input[1]"; Expected non-nullable type "String!" not to be null.',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })
    })

    it('does not allow invalid types to be used as values', () => {
      const doc = `
        query ($input: TestType!) {
          fieldWithObjectInput(input: $input)
        }
      `
      const result = executeQuery(doc, { input: { list: ['A', 'B'] } })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message: 'Variable "$input" expected value of type "TestType!" which cannot be used as an input type.',
            locations: [{ line: 2, column: 24 }],
          },
        ],
      })
    })

    it('does not allow unknown types to be used as values', () => {
      const doc = `
        query ($input: UnknownType!) {
          fieldWithObjectInput(input: $input)
        }
      `
      const result = executeQuery(doc, { input: 'WhoKnows' })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message: 'Variable "$input" expected value of type "UnknownType!" which cannot be used as an input type.',
            locations: [{ line: 2, column: 24 }],
          },
        ],
      })
    })
  })
})
