// The cases of graphql-js for scalar and enum inputs, for our executor: `src/execution/__tests__/variables-test.ts` of
// graphql-js 16. Copyright (c) GraphQL Contributors, MIT License.
import { describe, expect, it } from 'vitest'
import { expectJSON } from '../../support/graphql-js.ts'
import { executeQuery, expectData } from '../../support/graphql-js-inputs.ts'

describe('Execute: Handles inputs', () => {
  describe('Handles custom enum values', () => {
    it('allows custom enum values as inputs', () => {
      expectData(
        `
        {
          null: fieldWithEnumInput(input: NULL)
          NaN: fieldWithEnumInput(input: NAN)
          false: fieldWithEnumInput(input: FALSE)
          customValue: fieldWithEnumInput(input: CUSTOM)
          defaultValue: fieldWithEnumInput(input: DEFAULT_VALUE)
        }
      `,
        {
          null: 'null',
          NaN: 'NaN',
          false: 'false',
          customValue: '"custom value"',
          defaultValue: '"DEFAULT_VALUE"',
        },
      )
    })

    it('allows non-nullable inputs to have null as enum custom value', () => {
      expectData(
        `
        {
          fieldWithNonNullableEnumInput(input: NULL)
        }
      `,
        {
          fieldWithNonNullableEnumInput: 'null',
        },
      )
    })
  })

  describe('Handles nullable scalars', () => {
    it('allows nullable inputs to be omitted', () => {
      expectData(
        `
        {
          fieldWithNullableStringInput
        }
      `,
        {
          fieldWithNullableStringInput: null,
        },
      )
    })

    it('allows nullable inputs to be omitted in a variable', () => {
      expectData(
        `
        query ($value: String) {
          fieldWithNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNullableStringInput: null,
        },
      )
    })

    it('allows nullable inputs to be omitted in an unlisted variable', () => {
      expectData(
        `
        query {
          fieldWithNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNullableStringInput: null,
        },
      )
    })

    it('allows nullable inputs to be set to null in a variable', () => {
      expectData(
        `
        query ($value: String) {
          fieldWithNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNullableStringInput: 'null',
        },
        { value: null },
      )
    })

    it('allows nullable inputs to be set to a value in a variable', () => {
      expectData(
        `
        query ($value: String) {
          fieldWithNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNullableStringInput: '"a"',
        },
        { value: 'a' },
      )
    })

    it('allows nullable inputs to be set to a value directly', () => {
      expectData(
        `
        {
          fieldWithNullableStringInput(input: "a")
        }
      `,
        {
          fieldWithNullableStringInput: '"a"',
        },
      )
    })
  })

  describe('Handles non-nullable scalars', () => {
    it('allows non-nullable variable to be omitted given a default', () => {
      expectData(
        `
        query ($value: String! = "default") {
          fieldWithNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNullableStringInput: '"default"',
        },
      )
    })

    it('allows non-nullable inputs to be omitted given a default', () => {
      expectData(
        `
        query ($value: String = "default") {
          fieldWithNonNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNonNullableStringInput: '"default"',
        },
      )
    })

    it('does not allow non-nullable inputs to be omitted in a variable', () => {
      const result = executeQuery(`
        query ($value: String!) {
          fieldWithNonNullableStringInput(input: $value)
        }
      `)

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message: 'Variable "$value" of required type "String!" was not provided.',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })
    })

    it('does not allow non-nullable inputs to be set to null in a variable', () => {
      const doc = `
        query ($value: String!) {
          fieldWithNonNullableStringInput(input: $value)
        }
      `
      const result = executeQuery(doc, { value: null })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message: 'Variable "$value" of non-null type "String!" must not be null.',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })
    })

    it('allows non-nullable inputs to be set to a value in a variable', () => {
      expectData(
        `
        query ($value: String!) {
          fieldWithNonNullableStringInput(input: $value)
        }
      `,
        {
          fieldWithNonNullableStringInput: '"a"',
        },
        { value: 'a' },
      )
    })

    it('allows non-nullable inputs to be set to a value directly', () => {
      expectData(
        `
        {
          fieldWithNonNullableStringInput(input: "a")
        }
      `,
        {
          fieldWithNonNullableStringInput: '"a"',
        },
      )
    })

    it('reports error for missing non-nullable inputs', () => {
      const result = executeQuery('{ fieldWithNonNullableStringInput }')

      expectJSON(result).toDeepEqual({
        data: {
          fieldWithNonNullableStringInput: null,
        },
        errors: [
          {
            message: 'Argument "input" of required type "String!" was not provided.',
            locations: [{ line: 1, column: 3 }],
            path: ['fieldWithNonNullableStringInput'],
          },
        ],
      })
    })

    it('reports error for array passed into string input', () => {
      const doc = `
        query ($value: String!) {
          fieldWithNonNullableStringInput(input: $value)
        }
      `
      const result = executeQuery(doc, { value: [1, 2, 3] })

      expectJSON(result).toDeepEqual({
        errors: [
          {
            message:
              'Variable "$value" got invalid value [1, 2, 3]; String cannot represent a non string value: [1, 2, 3]',
            locations: [{ line: 2, column: 16 }],
          },
        ],
      })

      expect(result).to.have.nested.property('errors[0].originalError')
    })

    it('reports error for non-provided variables for non-nullable inputs', () => {
      // Note: this test would typically fail validation before encountering
      // this execution error, however for queries which previously validated
      // and are being run against a new schema which have introduced a breaking
      // change to make a formerly non-required argument required, this asserts
      // failure before allowing the underlying code to receive a non-null value.
      const result = executeQuery(`
        {
          fieldWithNonNullableStringInput(input: $foo)
        }
      `)

      expectJSON(result).toDeepEqual({
        data: {
          fieldWithNonNullableStringInput: null,
        },
        errors: [
          {
            message:
              'Argument "input" of required type "String!" was provided the variable "$foo" which was not provided a runtime value.',
            locations: [{ line: 3, column: 50 }],
            path: ['fieldWithNonNullableStringInput'],
          },
        ],
      })
    })
  })
})
