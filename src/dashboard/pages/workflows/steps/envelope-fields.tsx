// The fields of an email besides subject and body. Sender, recipients and headers are folded until someone needs them.
import { Button, SimpleGrid, Stack, Switch, TagsInput, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { use } from 'react'
import { DraftErrors } from '../draft/checked-draft.ts'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import { HeaderFields } from './header-fields.tsx'
import type { StepFieldsProps } from './step-form.ts'
import { useTemplateField } from './template-field.ts'
import { TemplateInput } from './template-input.tsx'

/** The field for the line that mail clients show after the subject. */
export function Preheader(props: StepFieldsProps) {
  return (
    <TemplateInput
      {...props}
      name="preheader"
      label={fieldLabels.preheader}
      description="The line after the subject in a list of emails. A Liquid template."
    />
  )
}

const lists = {
  replyTo: 'Where replies go.',
  cc: 'Copies that all recipients see.',
  bcc: 'Copies that no other recipient sees.',
} as const

function Addresses({ form, index, name }: StepFieldsProps & { readonly name: keyof typeof lists }) {
  const path = `steps.${index}.${name}`
  return (
    <TagsInput
      label={fieldLabels[name]}
      description={`${lists[name]} Addresses or Liquid templates. Press Enter after each.`}
      acceptValueOnBlur
      // A template may contain commas.
      splitChars={[]}
      {...form.getInputProps(path)}
      error={useFieldError(form)(path)}
    />
  )
}

function TextBody({ form, index }: StepFieldsProps) {
  const { value, error, set } = useTemplateField(form, index, 'textBody')
  return (
    <Textarea
      label={fieldLabels.textBody}
      description="For mail clients that do not show HTML. A Liquid template. If it is empty, the text of the body is used."
      autosize
      minRows={2}
      maxRows={12}
      value={value}
      error={error}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}

const folded = ['textBody', 'from', 'senderName', 'replyTo', 'cc', 'bcc', 'headers', 'threadKey'] as const

const TITLE = 'Sender, recipients and headers'

export function EnvelopeFields(props: StepFieldsProps) {
  const { form, index } = props
  const errors = use(DraftErrors)
  const step = form.values.steps[index]
  const isUsed = step?.attachments === false || folded.some((name) => (step?.[name].length ?? 0) > 0)
  const [wasOpened, { toggle }] = useDisclosure(isUsed)
  const hasError = [...Object.keys(form.errors), ...errors.keys()].some((path) =>
    folded.some((name) => `${path}.`.startsWith(`steps.${index}.${name}.`)),
  )
  const isOpen = wasOpened || hasError
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        px={0}
        style={{ alignSelf: 'flex-start' }}
        leftSection={<Icon size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {TITLE}
      </Button>
      {isOpen && (
        <Stack role="group" aria-label={TITLE}>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TemplateInput
              {...props}
              name="from"
              label={fieldLabels.from}
              description="The sender's address. If it is empty, the integration's."
            />
            <TemplateInput
              {...props}
              name="senderName"
              label={fieldLabels.senderName}
              description="If it is empty, the integration's."
            />
          </SimpleGrid>
          <Addresses {...props} name="replyTo" />
          <Addresses {...props} name="cc" />
          <Addresses {...props} name="bcc" />
          <TextBody {...props} />
          <TemplateInput
            {...props}
            name="threadKey"
            label={fieldLabels.threadKey}
            description="Mail clients show a subscriber's emails with the same key as one thread. A Liquid template, such as order-{{ payload.id }}."
          />
          <HeaderFields {...props} />
          <Switch
            label={fieldLabels.attachments}
            description="Send the files of the trigger with the email."
            {...form.getInputProps(`steps.${index}.attachments`, { type: 'checkbox' })}
          />
        </Stack>
      )}
    </>
  )
}
