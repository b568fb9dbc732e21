// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {AuthorizedTransfers} from "../src/AuthorizedTransfers.sol";
import {BlockableERC20} from "../src/BlockableERC20.sol";
import {TokenTest} from "./support/TokenTest.sol";
import {ApprovingWallet} from "./support/Wallets.sol";

contract AuthorizedTransfersTest is TokenTest {
    bytes32 private constant NONCE = keccak256("nonce");
    uint256 private constant AFTER = NOW - 1;
    uint256 private constant BEFORE = NOW + 1;
    string private constant FIELDS = "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

    function setUp() public override {
        super.setUp();
        give(alice, 100e18);
    }

    function digest(string memory name, address from, uint256 value) private view returns (bytes32) {
        bytes32 typehash = keccak256(bytes(string.concat(name, FIELDS)));
        return underDomain(keccak256(abi.encode(typehash, from, bob, value, AFTER, BEFORE, NONCE)));
    }

    function cancelDigest() private view returns (bytes32) {
        return underDomain(keccak256(abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), alice, NONCE)));
    }

    function underDomain(bytes32 content) private view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), content));
    }

    function sign(uint256 key, bytes32 hash) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hash);
        return abi.encodePacked(r, s, v);
    }

    function signTransfer(uint256 key, uint256 value) private view returns (bytes memory) {
        return sign(key, digest("TransferWithAuthorization", alice, value));
    }

    function test_anyoneCarriesOutAnAuthorizedTransferOnce() public {
        bytes memory signature = signTransfer(ALICE_KEY, 30e18);
        vm.expectEmit(true, true, true, true, address(token));
        emit AuthorizedTransfers.AuthorizationUsed(alice, NONCE);
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Transfer(alice, bob, 30e18);
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
        vm.assertEq(token.balanceOf(bob), 30e18);
        vm.assertTrue(token.authorizationState(alice, NONCE));

        vm.expectRevert(abi.encodeWithSelector(AuthorizedTransfers.AuthorizationAlreadyUsed.selector, alice, NONCE));
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
    }

    function test_takesTheSignatureInParts() public {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, digest("TransferWithAuthorization", alice, 30e18));
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, v, r, s);
        vm.assertEq(token.balanceOf(bob), 30e18);
    }

    function test_aContractAccountAuthorizes() public {
        ApprovingWallet wallet = new ApprovingWallet();
        give(address(wallet), 10e18);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, address(wallet)));
        token.transferWithAuthorization(address(wallet), bob, 5e18, AFTER, BEFORE, NONCE, "");
        wallet.approve(digest("TransferWithAuthorization", address(wallet), 5e18));
        token.transferWithAuthorization(address(wallet), bob, 5e18, AFTER, BEFORE, NONCE, "");
        vm.assertEq(token.balanceOf(bob), 5e18);
    }

    function test_onlyThePayeeReceives() public {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, digest("ReceiveWithAuthorization", alice, 30e18));
        vm.expectRevert(abi.encodeWithSelector(AuthorizedTransfers.CallerNotPayee.selector, address(this), bob));
        token.receiveWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, v, r, s);
        vm.expectRevert(abi.encodeWithSelector(AuthorizedTransfers.CallerNotPayee.selector, address(this), bob));
        token.receiveWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, abi.encodePacked(r, s, v));
        // What only the payee may send, nobody else sends as a transfer.
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, alice));
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, v, r, s);
        vm.prank(bob);
        token.receiveWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, v, r, s);
        vm.assertEq(token.balanceOf(bob), 30e18);
    }

    function test_isGoodBetweenItsTimesOnly() public {
        bytes memory signature = signTransfer(ALICE_KEY, 30e18);
        uint256[2] memory times = [AFTER, BEFORE];
        for (uint256 i = 0; i < 2; ++i) {
            vm.warp(times[i]);
            vm.expectRevert(abi.encodeWithSelector(AuthorizedTransfers.AuthorizationNotValidNow.selector, AFTER, BEFORE));
            token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
        }
    }

    function test_movesNothingThatTheHolderDidNotSign() public {
        bytes memory signature = signTransfer(ALICE_KEY, 30e18);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, alice));
        token.transferWithAuthorization(alice, bob, 31e18, AFTER, BEFORE, NONCE, signature);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, alice));
        token.transferWithAuthorization(alice, address(this), 30e18, AFTER, BEFORE, NONCE, signature);
        signature = signTransfer(BOB_KEY, 30e18);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, alice));
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
    }

    function test_isSubjectToBlocksAndPauses() public {
        bytes memory signature = signTransfer(ALICE_KEY, 30e18);
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
        vm.prank(admin);
        token.unpause();
        vm.prank(admin);
        token.blockAccount(bob);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.AccountBlocked.selector, bob));
        token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
        vm.assertFalse(token.authorizationState(alice, NONCE));
    }

    function test_anAuthorizationIsTakenBackInEitherForm() public {
        bytes memory signature = signTransfer(ALICE_KEY, 30e18);
        uint256 snapshot = vm.snapshotState();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, cancelDigest());
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectEmit(true, true, true, true, address(token));
            emit AuthorizedTransfers.AuthorizationCanceled(alice, NONCE);
            if (i == 0) token.cancelAuthorization(alice, NONCE, v, r, s);
            else token.cancelAuthorization(alice, NONCE, abi.encodePacked(r, s, v));
            vm.expectRevert(abi.encodeWithSelector(AuthorizedTransfers.AuthorizationAlreadyUsed.selector, alice, NONCE));
            token.transferWithAuthorization(alice, bob, 30e18, AFTER, BEFORE, NONCE, signature);
            vm.revertToState(snapshot);
        }
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.InvalidSignature.selector, alice));
        token.cancelAuthorization(alice, NONCE, signature);
    }
}
