import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from '@fenced/core/zod'
import { errorMessage } from '@fenced/errors'

/** Schema for the option `caFile`: the path of a file with certificates in PEM. */
export const caFileSchema = z
  .string()
  .min(1)
  .superRefine((path, { addIssue }) => {
    try {
      const found = readFileSync(path, 'utf8').match(certificates) ?? []
      if (found.length === 0) throw new Error('it contains no certificate')
      for (const pem of found) new X509Certificate(pem)
    } catch (error) {
      const message = `must be the path of a file with certificates in PEM format: ${errorMessage(error)}`
      addIssue({ code: 'custom', message })
    }
  })

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
