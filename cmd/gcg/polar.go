package main

import "github.com/spf13/cobra"

func polarCommand() *cobra.Command { return &cobra.Command{Use: "polar", Hidden: true} }
