// The field for the rate limit of an integration.
import { Group, NativeSelect, NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { IntegrationValues } from './integration-values.ts'
import { rateUnits } from './rate-limit.ts'

const units = rateUnits.map((value) => ({ value, label: `per ${value.toLowerCase()}` }))

export const RateLimitField = ({ form }: { readonly form: UseFormReturnType<IntegrationValues> }) => (
  <Group align="flex-end" grow preventGrowOverflow={false}>
    <NumberInput
      label="Rate limit"
      description="The most messages that are sent in an interval. More messages wait. Empty means no limit."
      min={1}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps('rateLimit.messages')}
      error={form.errors['rateLimit']}
    />
    <NativeSelect aria-label="Interval of the rate limit" data={units} {...form.getInputProps('rateLimit.per')} />
  </Group>
)
