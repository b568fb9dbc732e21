// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Compiled with the token, so that both can be deployed without a compiler.
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
