// An evaluation thread that cannot compile the schema of a dialect after its start. It only evaluates schemas if it
// compiled the dialects before.
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import evaluateBatch from '../../src/evaluation/thread.ts'

const fail = () => {
  throw new Error("the schema of a dialect is compiled in a caller's time")
}
for (const { prototype } of [Ajv, Ajv2020]) prototype.addMetaSchema = fail

export default evaluateBatch
