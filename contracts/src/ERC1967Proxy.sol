// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Compiled with the token, so that both can be deployed without a compiler.
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
