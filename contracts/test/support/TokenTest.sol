// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {EMoneyToken, FirstOperator, TokenSetup} from "../../src/EMoneyToken.sol";
import {IEMoneyToken, RedemptionRefusal} from "../../src/IEMoneyToken.sol";
import {Batches, IssueItem, RedeemItem} from "./Batches.sol";
import {MiniTest} from "./MiniTest.sol";

/// @dev A EUR token behind its proxy, an admin, an operator that may mint a million, 700,000 a day, and holders with keys.
abstract contract TokenTest is MiniTest {
    uint256 internal constant ALICE_KEY = 0xA11CE;
    uint256 internal constant BOB_KEY = 0xB0B;
    uint48 internal constant ADMIN_DELAY = 1 days;
    uint32 internal constant SIGNATURE_GAS = 500_000;

    address internal immutable admin = address(0xAD);
    address internal immutable operator = address(0x09);
    address internal immutable alice = vm.addr(ALICE_KEY);
    address internal immutable bob = vm.addr(BOB_KEY);

    EMoneyToken internal token;
    uint64 internal nextSequence;

    /// @dev 2026-11-20T18:40:00Z, after the times that the tests' messages name.
    uint256 internal constant NOW = 1_795_200_000;

    function setUp() public virtual {
        vm.warp(NOW);
        token = deploy("EUR");
        addOperator(token);
    }

    function addOperator(EMoneyToken token_) internal {
        bytes32 role = token_.OPERATOR_ROLE();
        vm.prank(admin);
        token_.grantRole(role, operator);
        vm.prank(admin);
        token_.setMintAllowance(operator, 0, 1_000_000e18, 700_000e18);
    }

    function setAllowance(address account, uint256 allowance, uint256 dailyLimit) internal {
        uint256 current = token.mintAllowance(account);
        vm.prank(admin);
        token.setMintAllowance(account, current, allowance, dailyLimit);
    }

    function deploy(string memory currency) internal returns (EMoneyToken) {
        bytes memory data = abi.encodeCall(EMoneyToken.initialize, (setupOf(currency, admin)));
        return EMoneyToken(address(new ERC1967Proxy(address(new EMoneyToken()), data)));
    }

    /// @dev The setup of a token without operators.
    function setupOf(string memory currency, address admin_) internal pure returns (TokenSetup memory) {
        return TokenSetup(
            "Mintrail Euro", "EURe", currency, admin_, address(0), ADMIN_DELAY, SIGNATURE_GAS, new FirstOperator[](0), new address[](0)
        );
    }

    function issueItem(uint64 sequence, address account, uint256 amount) internal pure returns (IssueItem memory) {
        return IssueItem({sequence: sequence, orderId: orderId(sequence), account: account, amount: amount});
    }

    function issue(IssueItem memory item) internal {
        bytes memory batch = Batches.pack(item);
        vm.prank(operator);
        token.issue(batch);
    }

    function give(address account, uint256 amount) internal {
        issue(issueItem(nextSequence++, account, amount));
    }

    function redeem(RedeemItem memory item) internal {
        bytes memory batch = Batches.pack(item);
        vm.prank(operator);
        token.redeem(batch);
    }

    function redeemItem(address account, uint256 amount, string memory message, bytes memory signature)
        internal
        pure
        returns (RedeemItem memory)
    {
        return RedeemItem({orderId: orderId(uint256(keccak256(bytes(message)))), account: account, amount: amount, message: message, signature: signature});
    }

    /// @dev The item of a holder who signs with a key.
    function signedItem(uint256 key, uint256 amount, string memory message) internal pure returns (RedeemItem memory) {
        return redeemItem(vm.addr(key), amount, message, signMessage(key, message));
    }

    function signMessage(uint256 key, string memory message) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hashOf(message));
        return abi.encodePacked(r, s, v);
    }

    function hashOf(string memory message) internal pure returns (bytes32) {
        return MessageHashUtils.toEthSignedMessageHash(bytes(message));
    }

    function orderId(uint256 seed) internal pure returns (bytes16) {
        return bytes16(keccak256(abi.encode("order", seed)));
    }

    function expectRefusedRedemption(RedeemItem memory item, RedemptionRefusal reason) internal {
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.RedemptionRefused(item.orderId, item.account, item.amount, hashOf(item.message), reason);
    }

    function expectRedeemed(RedeemItem memory item) internal {
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.Redeemed(item.orderId, item.account, item.amount, hashOf(item.message));
    }
}
