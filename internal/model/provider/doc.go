// Package provider makes models of names: it puts together the configuration, the catalog and the wire formats.
//
//	choice, err := c.Choose()
//	if err != nil {
//		return err
//	}
//	m, err := provider.Open(c, choice)
package provider
