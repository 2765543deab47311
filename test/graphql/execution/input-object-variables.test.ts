// The cases of graphql-js for input objects in variables, for our executor: `src/execution/__tests__/variables-test.ts`
// of graphql-js 16. Copyright (c) GraphQL Contributors, MIT License.
import { describe, expect, it } from 'vitest'
import { expectJSON } from '../../support/graphql-js.ts'
import { executeQuery, expectData } from '../../support/graphql-js-inputs.ts'

describe('Execute: Handles inputs', () => {
  describe('Handles objects and nullability', () => {
    describe('using variables', () => {
      const doc = `
        query ($input: TestInputObject) {
          fieldWithObjectInput(input: $input)
        }
      `

      it('executes with complex input', () => {
        const params = { input: { a: 'foo', b: ['bar'], c: 'baz' } }
        expectData(
          doc,
          {
            fieldWithObjectInput: '{ a: "foo", b: ["bar"], c: "baz" }',
          },
          params,
        )
      })

      it('uses undefined when variable not provided', () => {
        const result = executeQuery(
          `
          query q($input: String) {
            fieldWithNullableStringInput(input: $input)
          }`,
          {
            // Intentionally missing variable values.
          },
        )

        expect(result).to.deep.equal({
          data: {
            fieldWithNullableStringInput: null,
          },
        })
      })

      it('uses null when variable provided explicit null value', () => {
        const result = executeQuery(
          `
          query q($input: String) {
            fieldWithNullableStringInput(input: $input)
          }`,
          { input: null },
        )

        expect(result).to.deep.equal({
          data: {
            fieldWithNullableStringInput: 'null',
          },
        })
      })

      it('uses default value when not provided', () => {
        expectData(
          `
          query ($input: TestInputObject = {a: "foo", b: ["bar"], c: "baz"}) {
            fieldWithObjectInput(input: $input)
          }
        `,
          {
            fieldWithObjectInput: '{ a: "foo", b: ["bar"], c: "baz" }',
          },
        )
      })

      it('does not use default value when provided', () => {
        const result = executeQuery(
          `
            query q($input: String = "Default value") {
              fieldWithNullableStringInput(input: $input)
            }
          `,
          { input: 'Variable value' },
        )

        expect(result).to.deep.equal({
          data: {
            fieldWithNullableStringInput: '"Variable value"',
          },
        })
      })

      it('uses explicit null value instead of default value', () => {
        const result = executeQuery(
          `
          query q($input: String = "Default value") {
            fieldWithNullableStringInput(input: $input)
          }`,
          { input: null },
        )

        expect(result).to.deep.equal({
          data: {
            fieldWithNullableStringInput: 'null',
          },
        })
      })

      it('uses null default value when not provided', () => {
        const result = executeQuery(
          `
          query q($input: String = null) {
            fieldWithNullableStringInput(input: $input)
          }`,
          {
            // Intentionally missing variable values.
          },
        )

        expect(result).to.deep.equal({
          data: {
            fieldWithNullableStringInput: 'null',
          },
        })
      })

      it('properly parses single value to list', () => {
        const params = { input: { a: 'foo', b: 'bar', c: 'baz' } }
        expectData(
          doc,
          {
            fieldWithObjectInput: '{ a: "foo", b: ["bar"], c: "baz" }',
          },
          params,
        )
      })

      it('executes with complex scalar input', () => {
        const params = { input: { c: 'foo', d: 'SerializedValue' } }
        expectData(
          doc,
          {
            fieldWithObjectInput: '{ c: "foo", d: "DeserializedValue" }',
          },
          params,
        )
      })

      it('errors on faulty scalar type input', () => {
        const params = { input: { c: 'foo', e: 'SerializedValue' } }
        const result = executeQuery(doc, params)

        expectJSON(result).toDeepEqual({
          errors: [
            {
              message: 'Variable "$input" got invalid value "SerializedValue" at "input.e"; FaultyScalarErrorMessage',
              locations: [{ line: 2, column: 16 }],
              extensions: { code: 'FaultyScalarErrorMessageExtensionCode' },
            },
          ],
        })
      })

      it('errors on null for nested non-null', () => {
        const params = { input: { a: 'foo', b: 'bar', c: null } }
        const result = executeQuery(doc, params)

        expectJSON(result).toDeepEqual({
          errors: [
            {
              message:
                'Variable "$input" got invalid value null at "input.c"; Expected non-nullable type "String!" not to be null.',
              locations: [{ line: 2, column: 16 }],
            },
          ],
        })
      })

      it('errors on incorrect type', () => {
        const result = executeQuery(doc, { input: 'foo bar' })

        expectJSON(result).toDeepEqual({
          errors: [
            {
              message:
                'Variable "$input" got invalid value "foo bar"; Expected type "TestInputObject" to be an object.',
              locations: [{ line: 2, column: 16 }],
            },
          ],
        })
      })

      it('errors on omission of nested non-null', () => {
        const result = executeQuery(doc, { input: { a: 'foo', b: 'bar' } })

        expectJSON(result).toDeepEqual({
          errors: [
            {
              message:
                'Variable "$input" got invalid value { a: "foo", b: "bar" }; Field "c" of required type "String!" was not provided.',
              locations: [{ line: 2, column: 16 }],
            },
          ],
        })
      })

      it('errors on deep nested errors and with many errors', () => {
        const nestedDoc = `
          query ($input: TestNestedInputObject) {
            fieldWithNestedObjectInput(input: $input)
          }
        `
        const result = executeQuery(nestedDoc, { input: { na: { a: 'foo' } } })

        expectJSON(result).toDeepEqual({
          errors: [
            {
              message:
                'Variable "$input" got invalid value { a: "foo" } at "input.na"; Field "c" of required type "String!" was not provided.',
              locations: [{ line: 2, column: 18 }],
            },
            {
              message:
                'Variable "$input" got invalid value { na: { a: "foo" } }; Field "nb" of required type "String!" was not provided.',
              locations: [{ line: 2, column: 18 }],
            },
          ],
        })
      })

      it('errors on addition of unknown input field', () => {
        const params = {
          input: { a: 'foo', b: 'bar', c: 'baz', extra: 'dog' },
        }
        const result = executeQuery(doc, params)

        expectJSON(result).toDeepEqual({
          errors: [
            {
              message:
                'Variable "$input" got invalid value { a: "foo", b: "bar", c: "baz", extra: "dog" }; Field "extra" is not defined by type "TestInputObject".',
              locations: [{ line: 2, column: 16 }],
            },
          ],
        })
      })
    })
  })
})
